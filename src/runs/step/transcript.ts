import type { Database } from '../../database/database.ts'
import type { RunTranscript } from '../../loop/fit-transcript.ts'
import type { PromptInForce } from '../queue/prompt-in-force.ts'
import { openingOf, type OpeningInput } from '../run-input.ts'
import type { Run } from '../run.ts'
import { readLeftOut } from './left-out.ts'
import { createKept, createShownSteps } from './shown-steps.ts'

/** What stands before the steps. */
interface Opening {
  input: OpeningInput | undefined
  prompt: PromptInForce
}

/**
 * Reads what the model sees of a run, from the record. Neither steps that are left out nor the whole of shortened
 * results are read: a run may have a thousand steps.
 */
export function createReadTranscript({ database }: { database: Database }) {
  const shownSteps = createShownSteps({ database })
  const openings = createKept<Opening>(
    ({ input, prompt }) => 1 + (input?.payload.length ?? 0) + prompt.systemPrompt.length,
  )

  /** Does not change once the run is claimed. */
  async function keptOpening(run: Run): Promise<Opening> {
    const known = openings.get(run.id)
    if (known) return known
    const opening = await openingOf(database, run)
    if (!opening) throw new Error('a run was advanced before it was claimed')
    openings.set(run.id, opening)
    return opening
  }

  return async (run: Run, resultBytes: number): Promise<RunTranscript> => {
    const [{ input, prompt }, steps] = await Promise.all([keptOpening(run), shownSteps(run, resultBytes)])
    return {
      systemPrompt: prompt.systemPrompt,
      trigger: run.trigger,
      payload: input && readable(input.payload),
      headers: input?.headers ?? undefined,
      schema: prompt.schema ?? undefined,
      outputSchema: prompt.outputSchema ?? undefined,
      resultBytes,
      leftOut: await readLeftOut(database, run, { ...prompt, resultBytes }),
      steps,
      summarizes: prompt.summarizes,
    }
  }
}

/** An input that is a text is shown as that text. */
const readable = (payload: string): string => (payload.startsWith('"') ? String(JSON.parse(payload)) : payload)
