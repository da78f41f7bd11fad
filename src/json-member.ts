import { endOfString } from './json.ts'

/**
 * The JSON text of an object's member, the last one if it occurs twice; undefined if there is none. The text must be
 * valid JSON. It builds nothing: parsing a stranger's megabyte may take 20 times as long.
 */
export function memberText(text: string, name: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const isName = spelled(name)
  let depth = 0
  let isNameNext = true
  let from: number | undefined
  let found: string | undefined
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character === 34) {
      const end = endOfString(text, i + 1)
      if (isNameNext && depth === 1 && isName(text, i)) from = text.indexOf(':', end) + 1
      isNameNext = false
      i = end
    } else if (character === 91 || character === 123) depth++
    else if (character === 93 || character === 125) depth--
    else if (character === 44 && depth === 1) isNameNext = true
    const isOver = depth === 0 || (depth === 1 && character === 44)
    if (isOver && from !== undefined && i >= from) {
      found = text.slice(from, i).trim()
      from = undefined
    }
  }
  return found
}

/** Whether the name is at this position, in any spelling: JSON may write each character as `\uXXXX`. */
function spelled(name: string): (text: string, at: number) => boolean {
  const escaped = Array.from(name, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
    const anyCase = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
    return `(?:${RegExp.escape(character)}|\\\\u${anyCase})`
  })
  const pattern = new RegExp(`"${escaped.join('')}"`, 'y')
  return (text, at) => {
    pattern.lastIndex = at
    return pattern.test(text)
  }
}
