import { emptied, outlined, type Outline } from '../json-outline.ts'

/** Longer members than a name and an id are cut. */
const longest = 1000

/** The body of an upload without the text of the document, which is read from the bytes. */
export const outlineOfUpload = (text: string): Outline =>
  outlined(text, (member) => (typeof member === 'string' && member.length <= longest ? member : emptied(member)))
