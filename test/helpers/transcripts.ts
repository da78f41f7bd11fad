import { maxResultBytes } from '../../src/models/prompt.ts'
import { Run } from '../../src/runs/run.ts'
import { createReadTranscript } from '../../src/runs/step/transcript.ts'
import type { Platform } from './platform.ts'

/** The transcript that the model would get of a run. */
export async function currentTranscript({ services: { database } }: Platform, runId: string) {
  const run = await Run.query(database).findById(runId).throwIfNotFound()
  return createReadTranscript({ database })(run, maxResultBytes)
}
