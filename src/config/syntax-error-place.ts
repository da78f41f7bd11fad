type State = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'more of a list' | 'more of an object' | 'end'

const string = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`
const scalar = String.raw`${string}|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`

const tokens: Record<State, RegExp> = {
  value: new RegExp(String.raw`[\[{]|${scalar}`, 'y'),
  'first item': new RegExp(String.raw`[\[{\]]|${scalar}`, 'y'),
  'first key': new RegExp(`}|${string}`, 'y'),
  key: new RegExp(string, 'y'),
  colon: /:/y,
  'more of a list': /[,\]]/y,
  'more of an object': /[,}]/y,
  end: /$/y,
}
const space = /[\t\n\r ]*/y

/** Finds where a text stops being JSON. `JSON.parse` does not always say it, and quotes the text there. */
export function placeOfSyntaxError(text: string): { line: number; column: number } {
  const closing: ('list' | 'object')[] = []
  let state: State = 'value'
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const token = pattern.exec(text)?.[0]
    at += token?.length ?? 0
    return token
  }
  const read = (): string | undefined => {
    take(space)
    return take(tokens[state])
  }
  for (let token = read(); token !== undefined && state !== 'end'; token = read()) state = after(token, state, closing)
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

function after(token: string, state: State, open: ('list' | 'object')[]): State {
  if (token === '[' || token === '{') {
    open.push(token === '[' ? 'list' : 'object')
    return token === '[' ? 'first item' : 'first key'
  }
  if (token === ',') return open.at(-1) === 'object' ? 'key' : 'value'
  if (state === 'key' || (state === 'first key' && token !== '}')) return 'colon'
  if (state === 'colon') return 'value'
  if (token === ']' || token === '}') open.pop()
  const inside = open.at(-1)
  return inside === undefined ? 'end' : `more of ${inside === 'list' ? 'a list' : 'an object'}`
}
