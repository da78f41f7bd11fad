/** What `JSON` can do by now and TypeScript does not know yet (ECMAScript proposal "JSON.parse source text access"). */
interface ExactJson {
  parse: (text: string, revive: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown
  rawJSON?: (text: string) => object
}

const json = JSON as unknown as ExactJson

/**
 * Reads JSON whose numbers may have any size and precision: a number that JavaScript would change is kept as it was
 * written, and `JSON.stringify` writes it so. Somebody who approves a call must see its exact arguments. Browsers before
 * 2025 round such numbers.
 */
export const parseExactly = (text: string): unknown =>
  json.parse(text, (_key, value, { source } = {}) =>
    typeof value === 'number' &&
    source !== undefined &&
    String(value) !== source &&
    json.rawJSON &&
    isChanged(value, source)
      ? json.rawJSON(source)
      : value,
  )

/** `1.0` and `1e2` are written in another way and mean the same. */
const isChanged = (value: number, source: string): boolean =>
  !Number.isFinite(value) || digitsOf(source) !== digitsOf(String(value))

/** The digits that count: without sign, point, exponent and zeros at either end. */
const digitsOf = (text: string): string =>
  text.replace(/e.*$/i, '').replaceAll(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
