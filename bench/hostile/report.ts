import { allowed, isSlow, type Measured } from './watch.ts'

/** A line of the table: the measurements of a group's worst case. */
export interface Row extends Measured {
  group: string
  /** The name of the case, and the number of cases. */
  what: string
  count: number
  tries: number
}

const inWords = ({ worst, idle, failures, api, worker }: Measured): string =>
  `API ${String(api.cpuMs).padStart(4)} ms of processor time (${api.maxMs} ms), worker ${worker.maxMs} ms (${worker.cpuMs} ms), waited ` +
  `${worst.toFixed(0).padStart(4)} ms at most (an idle server: ${idle.toFixed(0)} ms)${failures > 0 ? `, ${failures} failed` : ''}`

/** One line for a group: its worst case in processor time, and the longest wait of all its cases. */
export function printRow(row: Row): void {
  const { group, what, count, tries } = row
  const among = count > 1 ? `; the worst of ${count}: ${what}` : ''
  const best = tries > 1 ? `; the best of ${tries} tries` : ''
  console.log(`${isSlow(row) ? '✘' : ' '} ${group.padEnd(50)} ${inWords(row)}${among}${best}`)
}

/** The worst of all rows, and whether everything is within the allowed limits. */
export function printEnd(rows: readonly Row[], count: number, repeated: number): boolean {
  const most = (of: (row: Row) => number) => Math.max(0, ...rows.map(of)).toFixed(0)
  console.log(
    `\n${count} cases. Held up at most: API ${most(({ api }) => api.cpuMs)} ms of processor time (of ${allowed.apiCpuMs}), ` +
      `worker ${most(({ worker }) => worker.maxMs)} ms (of ${allowed.workerMs}). The worst wait above that for an idle ` +
      `server: ${most(({ worst, idle }) => worst - idle)} ms (of ${allowed.waitMs}). Attempts of activities that were ` +
      `repeated: ${repeated}.`,
  )
  return !rows.some(isSlow) && repeated === 0
}

/** The other cases beyond the allowed limits. */
export function printOthers(rows: readonly Row[], printed: Row): void {
  for (const row of rows.filter((each) => isSlow(each) && each.what !== printed.what))
    console.log(`    also: ${row.what}: ${inWords(row)}`)
}

/** The worst case of a group: the one that failed or took most, with the longest wait of all. */
export function worstOf(rows: readonly Row[]): Row | undefined {
  const [worst] = rows.toSorted(
    (one, other) => Number(isSlow(other)) - Number(isSlow(one)) || other.api.cpuMs - one.api.cpuMs,
  )
  const longest = rows.toSorted((one, other) => other.worst - other.idle - (one.worst - one.idle))[0]
  return worst && longest && { ...worst, worst: longest.worst, idle: longest.idle }
}
