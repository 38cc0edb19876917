"""Parses a scenario file: YAML documents to plain data, plain data to frozen objects, with located problems.

parse.py is the entry; a room imports only from rooms above its own:

    types, reading/   what a scenario is made of; text -> documents, field path -> line, errors that know their path
    fields/           the tables: which fields exist in which document, their types, kube-apiserver's rules for values
    objects/          documents -> objects, a module for each family of kinds; what admission and controllers would add
    settings/         KubeSchedulerConfiguration; our own kind: Scenario, with its events and expectations
    catalogue         what an editor may offer

To read another field: its table, and the builder of its kind. To read another kind: a table, a builder, and a line in
`objects/kinds.py`.
"""
