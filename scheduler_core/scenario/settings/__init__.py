"""KubeSchedulerConfiguration, the Scenario document, and the timeline."""
