import type { Chance } from '../../money/chance.ts'
import type { ApiName } from './apis.ts'

/** One call of the schedule. Its mark is in the arguments, and in those of no other call. */
export interface PlannedCall {
  mark: string
  server: ServerName
  tool: string
  arguments: Record<string, unknown>
}

export type ServerName = 'counter' | 'everything' | 'filesystem' | 'memory' | ApiName

type Make = (mark: string, folder: string) => Omit<PlannedCall, 'mark'>

const increment: Make = (mark) => ({ server: 'counter', tool: 'increment', arguments: { id: mark } })

/** Executions are counted by the counter, and by the APIs for what they change: more than half of the calls. */
const makes: readonly [Make, ...Make[]] = [
  increment,
  increment,
  increment,
  increment,
  increment,
  (mark) => ({ server: 'counter', tool: 'read', arguments: { id: mark } }),
  (mark) => ({ server: 'everything', tool: 'echo', arguments: { message: mark } }),
  (mark, folder) => ({
    server: 'filesystem',
    tool: 'write_file',
    arguments: { path: `${folder}/${mark}.txt`, content: mark },
  }),
  (mark, folder) => ({ server: 'filesystem', tool: 'create_directory', arguments: { path: `${folder}/${mark}` } }),
  (mark) => ({
    server: 'memory',
    tool: 'create_entities',
    arguments: { entities: [{ name: mark, entityType: 'mark', observations: [] }] },
  }),
  (mark) => ({ server: 'memory', tool: 'search_nodes', arguments: { query: mark } }),
  (mark) => ({ server: 'orders', tool: 'create_order', arguments: { body: { id: mark } } }),
  (mark) => ({ server: 'orders', tool: 'find_order', arguments: { id: mark } }),
  (mark) => ({ server: 'notes', tool: 'put_note', arguments: { id: mark } }),
  (mark) => ({ server: 'notes', tool: 'delete_note', arguments: { id: mark } }),
]

/** The schedule of a seed. `folder` is the one that the filesystem server may write to. */
export const planOf = (random: Chance, count: number, folder: string): PlannedCall[] =>
  Array.from({ length: count }, (_, index) => {
    const mark = `mark-${index}`
    return { mark, ...random.of(makes)(mark, folder) }
  })

/** The mark of a call, by its arguments as they arrived. */
export const markIn = (given: unknown): string => /mark-\d+/.exec(JSON.stringify(given) ?? '')?.[0] ?? ''
