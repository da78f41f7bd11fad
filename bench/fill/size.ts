/** The size of a filled database. */
export interface Size {
  runs: number
  /** The number of runs with a timeline. */
  full: number
  owners: number
  months: number
  /** The number of waiting runs in each long queue. */
  queued: number
}

export const defaultSize: Size = { runs: 20_000_000, full: 1_000_000, owners: 2000, months: 6, queued: 2000 }

/** Command-line options, for `parseArgs`. */
export const sizeOptions = {
  runs: { type: 'string' },
  full: { type: 'string' },
  owners: { type: 'string' },
  months: { type: 'string' },
  queued: { type: 'string' },
} as const

/** The size from the command line. Without `full`, a twentieth of the runs have timelines. */
export function readSize(values: Partial<Record<keyof Size, string>>): Size {
  const size = { ...defaultSize }
  for (const name of Object.keys(size) as (keyof Size)[]) {
    const text = values[name]
    if (text !== undefined && !/^\d{1,12}$/.test(text)) throw new Error(`--${name} must be a whole number.`)
    if (text !== undefined) size[name] = Number(text)
  }
  if (values.full === undefined) size.full = Math.floor(size.runs / 20)
  if (size.owners < leastOwners) throw new Error(`--owners must be ${leastOwners} or more.`)
  if (size.months < 1 || size.full > size.runs) throw new Error('--months must be 1 or more, --full at most --runs.')
  return size
}

/** Enough for an agent of each role (see `roleOf`). */
const leastOwners = 100
