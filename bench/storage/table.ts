import { limit, type Measured } from './measure.ts'

const shown = (ms: number): string => ms.toFixed(ms < 10 ? 2 : 1)

export const tableHead = [
  '| operation | small, ms | filled, ms | ratio | read |',
  '| --- | ---: | ---: | ---: | --- |',
].join('\n')

export function tableRow({ name, small, filled, ratio, isRepeated, isCold }: Measured, reads: string[]): string {
  const mark = isCold ? ' (disk)' : ratio > limit ? ' **over**' : isRepeated ? ' (again)' : ''
  return `| ${name} | ${shown(small)} | ${shown(filled)} | ${ratio.toFixed(2)}${mark} | ${reads.join(', ')} |`
}
