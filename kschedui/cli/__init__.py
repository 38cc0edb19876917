"""The command line: `kschedui`, also as the kubectl plugin `kubectl kschedui`. docs/cli.md has every option."""
