import { measureInTurn, rateRows, type Side } from '../shared/compare.ts'
import { publish } from '../shared/report.ts'

interface Comparison {
  title: string
  text: string
  sides: Side<number>[]
  rounds: number
}

/** Measures runs per second on each side and publishes them. */
export async function compareRates({ title, text, sides, rounds }: Comparison): Promise<void> {
  const measured = await measureInTurn(sides, rounds, (rate) => `${rate.toFixed(1)}/s`)
  publish({
    title,
    text: [
      `${text} The time is that from the first start on record to the last end, on both sides. The figures are medians ` +
        `of ${rounds} rounds, in which both take turns. The ratio divides the rate of Switchyard by that of the line.`,
    ],
    columns: ['side', 'a second', 'ratio'],
    rows: rateRows(measured),
    notes: [],
  })
}
