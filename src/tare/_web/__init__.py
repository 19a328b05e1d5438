"""Web pages: judging by people, and the explorer."""
