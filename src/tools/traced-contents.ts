import { hidingOf } from '../hiding/hiding-cache.ts'
import { names, type Attributes } from '../tracing/names.ts'
import type { CallOutcome } from './call-outcome.ts'

/** Much more than a span keeps, so a secret that is cut here is not in what is left. */
const mostRead = 64 * 1024

/** Arguments and result of a call without these secrets, for operators who ask for contents in traces. */
export async function contentsOf(args: string, { text }: CallOutcome, secrets: readonly string[]): Promise<Attributes> {
  const hiding = await hidingOf(secrets)
  const hidden = (given: string) => hiding.text(hiding.json(given.slice(0, mostRead)))
  return { [names.toolArguments]: hidden(args), [names.toolResult]: hidden(text) }
}
