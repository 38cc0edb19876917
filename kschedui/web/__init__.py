"""What answers browsers: pages, API, websockets, and the rules of HTTP."""
