import { timeInWords } from './format.ts'

/** A sentence of the API with its times in UTC as times of the reader. */
export const inLocalTime = (sentence: string, now: number): string =>
  sentence.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, (at) => timeInWords(at, now))
