"""Pages of --report: each one HTML file with charts, which needs only a browser; all its text is escaped."""
