import { emptied, outlined, type Outline } from '../json-outline.ts'

/** The body of an upload with its texts, whole: that of the document is among them. */
export const outlineOfUpload = (bytes: Uint8Array): Outline =>
  outlined(bytes, (member) => (typeof member === 'string' ? member : emptied(member)))
