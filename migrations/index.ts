import type { Migration } from '../src/database/migrate.ts'
import * as baseline from './20261122000300-baseline.ts'
import * as directCallKeys from './20261123000100-direct-call-keys.ts'
import * as directCallIndexes from './20261123000200-direct-call-indexes.ts'
import * as cancelledSubscriptions from './20261123000500-cancelled-subscriptions.ts'
import { conversion } from './conversion/conversion.ts'

/** All changes of the schema, oldest first. New ones are added at the end; none is edited or renamed once merged. */
export const migrations: Migration[] = [
  { ...baseline, name: '20261122000300-baseline', replaces: conversion },
  { ...directCallKeys, name: '20261123000100-direct-call-keys' },
  { ...directCallIndexes, name: '20261123000200-direct-call-indexes' },
  { ...cancelledSubscriptions, name: '20261123000500-cancelled-subscriptions' },
]
