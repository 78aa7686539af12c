"""Query many exports at once, in worker processes of this machine or of a Dask cluster."""
