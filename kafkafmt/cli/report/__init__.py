"""Pages of --report: each is one HTML file with charts that needs only a browser; all its text is escaped."""
