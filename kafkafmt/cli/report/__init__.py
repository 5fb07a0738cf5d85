"""Pages of --report: each one HTML file with charts, which needs nothing but a browser; all text in it is escaped."""
