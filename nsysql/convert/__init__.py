"""Writing exports anew."""
