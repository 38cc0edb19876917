"""Everything that serves browsers: pages, API, websockets, and HTTP middleware."""
