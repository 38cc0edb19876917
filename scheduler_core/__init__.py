"""A faithful, deterministic simulation of kube-scheduler: scenario text in, events out. Imports no Django.

scenario = parse_scenario(text)
events = simulate(scenario)          # lazily
chunks = chunked(events)             # or decisions(events)
explain(scenario, attempt=7, nodes=["n1"])  # why an attempt went as it did
"""

from scheduler_core.apis.messages import RunEnded
from scheduler_core.explain.attempt import AttemptExplanation, explain
from scheduler_core.scenario.expectations import unmet_expectations
from scheduler_core.scenario.parse import Limits, Scenario, ScenarioError, ScenarioErrors, parse_scenario
from scheduler_core.simulation.simulation import EndlessMoment, LimitReached, simulate
from scheduler_core.trace.chunks import chunked
from scheduler_core.trace.columns import decode_column, encode_column
from scheduler_core.trace.decisions import attempt_records, decisions, short_decisions
from scheduler_core.trace.events import SCHEMA_VERSION, AnyEvent
from scheduler_core.trace.keyframe import Keyframe, TraceChunk, decode_chunk, decode_event, encode
from scheduler_core.version import ENGINE_VERSION

__all__ = [
    "ENGINE_VERSION",
    "SCHEMA_VERSION",
    "AnyEvent",
    "AttemptExplanation",
    "EndlessMoment",
    "Keyframe",
    "LimitReached",
    "Limits",
    "RunEnded",
    "Scenario",
    "ScenarioError",
    "ScenarioErrors",
    "TraceChunk",
    "attempt_records",
    "chunked",
    "decisions",
    "decode_chunk",
    "decode_column",
    "decode_event",
    "encode",
    "encode_column",
    "explain",
    "parse_scenario",
    "short_decisions",
    "simulate",
    "unmet_expectations",
]
