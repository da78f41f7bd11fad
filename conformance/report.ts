import type { Judged, Verdict } from './row.ts'

const verdicts: readonly Verdict[] = ['passed', 'failed', 'not tried']

export const line = ({ row, verdict, evidence }: Judged): string =>
  `${row.id.padEnd(38)} ${verdict.padEnd(9)} ${row.says}\n${' '.repeat(49)}${oneLine(evidence)}`

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 400)

export const asJson = ({ row: { id, says }, verdict, evidence, seconds }: Judged) => ({
  id,
  says,
  verdict,
  evidence,
  seconds,
})

/** The number of codes and other rows with each verdict. */
export function summary(judged: readonly Judged[]): string {
  const codes = judged.filter(({ row }) => isCode(row.id))
  const count = (of: readonly Judged[]) =>
    verdicts.map((verdict) => `${of.filter((one) => one.verdict === verdict).length} ${verdict}`).join(', ')
  const others = judged.filter((one) => !codes.includes(one))
  return `Codes: ${count(codes)}. Other rows: ${count(others)}.`
}

const isCode = (id: string): boolean => /^codes\/[A-Z_]+$/.test(id)

/** The exit code after Ctrl-C or a signal, by the convention of shells. */
export const interrupted = 130

/** 0 if all rows that apply to this installation passed, 1 if one failed, 2 if some were not tried. */
export function exitCodeOf(judged: readonly Judged[]): number {
  if (judged.some(({ verdict }) => verdict === 'failed')) return 1
  return judged.every(({ verdict, isExcused }) => verdict === 'passed' || isExcused) ? 0 : 2
}
