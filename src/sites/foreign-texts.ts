import { cleanName, cut, problemOfName } from '../names.ts'
import { shortened, storable } from '../text.ts'

/* Names and texts are shortened, where a manifest's would be refused: most sites do not know the platform. */

const maxText = 4000

/** A site's name for itself on one line; undefined if it has no usable one. */
export function foreignName(given: unknown): string | undefined {
  const name = typeof given === 'string' ? cut(cleanName(storable(given.slice(0, maxText))), 200) : ''
  return problemOfName(name, 200) === undefined ? name : undefined
}

/** A text of at most `most` UTF-16 units; undefined if it is none, or blank. */
export function foreignText(given: unknown, most = maxText): string | undefined {
  const beginning = typeof given === 'string' ? given.slice(0, most) : ''
  return /\S/.test(beginning) ? shortened(storable(beginning), most - 1) : undefined
}
