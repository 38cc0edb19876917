"""Reading a scenario file: YAML documents to plain data, plain data to frozen objects, with located problems.

`scheduler_core.scenario.parse` is the entry. A module imports only from lines above its own:

    limits, problems, times               how much is read; errors that know their field path; Kubernetes times
    yaml_composer, line_finder, documents text -> documents; field path -> line
    schema                                types of fields, and checking a value against them
    common_, volume_, pod_, cluster_,     the tables: which fields exist in which document
        config_ and scenario_fields
    names, resources, label_selectors     kube-apiserver's rules for single values
    admission                             what admission plugins and controllers would add
    pod_affinity, pod_containers, pods,   documents -> objects, one module per family of kinds
        nodes, volumes, cluster_objects
    plugin_args, plugin_sets,             KubeSchedulerConfiguration
        configuration
    kinds, catalogue                      the list of kinds; what an editor may offer
    extender_scripts, scenario_document   our own kind: Scenario
    cluster_state, timeline, updates      initial objects; events; what an update keeps

To read another field: its table, and the builder of its kind. To read another kind: a table, a builder, `kinds`.
"""
