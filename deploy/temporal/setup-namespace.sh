#!/bin/sh
# Waits for the Temporal server and creates the namespace, unless it exists. Gives up after three minutes.
set -eu

tries=0
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 90 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS did not answer for three minutes."
    exit 1
  fi
  sleep 2
done

# A server that has just started may answer before it can create a namespace.
until temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention "$RETENTION"; do
  tries=$((tries + 1))
  if [ "$tries" -ge 90 ]; then
    echo "The namespace $NAMESPACE could not be created."
    exit 1
  fi
  sleep 2
done
echo "The namespace $NAMESPACE exists."
