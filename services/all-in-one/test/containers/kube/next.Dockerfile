# The next release, as far as a rollout can tell.
FROM localhost/tollgate:tested
LABEL org.opencontainers.image.version=next
