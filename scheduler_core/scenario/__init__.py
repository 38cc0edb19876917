"""Parses a scenario file: YAML documents to plain data, and plain data to frozen objects. Problems have places.

parse.py is the entry. A package imports only from packages above it in this list:

    types, reading/   the types of a scenario; text -> documents, field path -> line, errors with their path
    fields/           tables of the fields of each kind of document, their types, and kube-apiserver's rules for values
    objects/          documents -> objects, a module for each family of kinds; the effects of admission and controllers
    rules/            SchedulerPlugin documents and their CEL expressions
    settings/         KubeSchedulerConfiguration, and the kind Scenario with its events and expectations
    catalogue         completions for an editor

To add a field, change the table and the builder of its kind. To add a kind, add a table, a builder, and a line in
`objects/kinds.py`.
"""
