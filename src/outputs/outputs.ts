import { assertThat, type ErrorDetail } from '../errors.ts'
import type * as inThread from '../in-thread.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import { tooLarge, type ReadOutput } from './in-thread.ts'

/** The size of the largest ordinary request body that the platform accepts. */
const maxCharacters = 256 * 1024

/**
 * The values that agents with an `outputSchema` answer with. Schemas and answers come from others, so threads check
 * them, and owners take turns.
 */
export function createOutputs({ threads }: { threads: Pick<Threads<typeof inThread>, 'run'> }) {
  return {
    /** Refuses an unusable schema and lists the places: VALIDATION_ERROR. */
    async assertSchema(schema: object, ownerId: string): Promise<void> {
      const work = threads.run(ownerId, 'checkOutputSchema', JSON.stringify(schema))
      const problems = await work.catch(orElse([tooComplex]))
      const message = 'The output schema is invalid. The details list the problems.'
      const details = problems.map(({ path, message }) => ({ path: `outputSchema${path && `.${path}`}`, message }))
      assertThat(problems.length === 0, 'VALIDATION_ERROR', { message, details })
    },

    async read(schema: object, answer: string, ownerId: string): Promise<ReadOutput> {
      if (answer.length > maxCharacters) return { problems: [tooLong] }
      const given = { schema: JSON.stringify(schema), answer }
      return threads.run(ownerId, 'readOutput', given).catch(orElse({ problems: [tooLarge] }))
    },
  }
}

export type Outputs = ReturnType<typeof createOutputs>

const tooComplex: ErrorDetail = { path: '', message: 'takes too long to check because its patterns are too complex' }
const tooLong: ErrorDetail = { path: '', message: `must have at most ${maxCharacters} characters` }
