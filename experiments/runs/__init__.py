"""What a run leaves: its directory, provenance, records, and jobs that go on where they were."""
