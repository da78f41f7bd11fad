import type { ErrorCode } from '../../../src/errors.ts'
import type { Answer } from '../../helpers/client.ts'

/** Makes the one request, after whatever else it takes, that is answered as the table says. */
type Provoke = () => Promise<Answer<unknown>>

/** By route: what makes it succeed (`done`), and the codes that depend on more than its declaration. */
export type Table = Record<string, Partial<Record<ErrorCode | 'done', Provoke>>>

/** Does it so many times and returns what came of the last; each may have its own arguments. */
export async function repeat<T>(times: number, work: (index: number) => Promise<T>): Promise<T> {
  for (let index = 0; index < times - 1; index += 1) await work(index)
  return work(times - 1)
}
