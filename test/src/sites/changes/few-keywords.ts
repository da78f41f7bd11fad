import * as fc from 'fast-check'

/**
 * Schemas of a few of these keywords, or groups of keywords, each: schemas of many let hardly anything through. What is
 * left out is not generated at all, which costs more than everything else where schemas stand in schemas.
 */
export function fewOf(
  written: Record<string, fc.Arbitrary<unknown>>,
  { least, most }: { least: number; most: number },
): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .subarray(Object.keys(written), { minLength: least, maxLength: most })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, written[name] ?? fc.constant(true)]))))
}
