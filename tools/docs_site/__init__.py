"""The documents as a site: pages of docs/, of commands, of the Python interface and of all formats."""
