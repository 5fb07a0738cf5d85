"""Repairing: sound copies of damaged log directories, which a broker loads without recovering or cutting anything."""
