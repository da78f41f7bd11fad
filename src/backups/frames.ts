import { createHash } from 'node:crypto'

/**
 * The format of a backup, before compression: frames of a kind (one byte), a length (four bytes, big-endian) and a
 * body. The last one holds the SHA-256 of everything before it, so a cut or changed file is recognised.
 *
 *   H  the header, as JSON         T  a table's name and columns, as JSON
 *   D  rows in the text form of    E  the end of a table: its number of rows, as JSON
 *      Postgres' COPY              Z  the checksum
 */
export type FrameKind = 'H' | 'T' | 'D' | 'E' | 'Z'

export interface Frame {
  kind: FrameKind
  body: Buffer
}

/** Thrown when a file is not a complete and undamaged backup. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError'
}

/** Every file begins with these bytes. The number is the version of the format. */
const signature = Buffer.from('SWITCHYARD BACKUP 1\n')

const headBytes = 5

/** Longer frames are never written. A damaged length must not fill the memory. */
const longest = 16 * 1024 * 1024

/** Frames as bytes, with the signature before and the checksum after them. */
export function createFrameWriter() {
  const hash = createHash('sha256')
  const noted = (bytes: Buffer): Buffer => {
    hash.update(bytes)
    return bytes
  }
  return {
    begin: () => noted(signature),
    frame: (kind: FrameKind, body: Buffer) => noted(frameOf(kind, body)),
    json: (kind: FrameKind, value: unknown) => noted(frameOf(kind, Buffer.from(JSON.stringify(value)))),
    end: () => frameOf('Z', hash.digest()),
  }
}

function frameOf(kind: FrameKind, body: Buffer): Buffer {
  const head = Buffer.alloc(headBytes)
  head.write(kind, 0, 'latin1')
  head.writeUInt32BE(body.length, 1)
  return Buffer.concat([head, body])
}

/** The frames of a file. Ends only after a correct checksum; throws a BackupFileError otherwise. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame, void> {
  const hash = createHash('sha256')
  const take = createTaker(chunks)
  const found = await take(signature.length)
  if (!found?.equals(signature)) throw new BackupFileError('This file is not a backup of Switchyard.')
  hash.update(found)
  for (;;) {
    const { head, frame } = await readFrame(take)
    if (frame.kind === 'Z') return checkEnd(frame.body, hash.digest(), await take(1))
    hash.update(head).update(frame.body)
    yield frame
  }
}

type Take = (length: number) => Promise<Buffer | undefined>

async function readFrame(take: Take): Promise<{ head: Buffer; frame: Frame }> {
  const head = await take(headBytes)
  if (!head) throw new BackupFileError(cut)
  const length = head.readUInt32BE(1)
  const body = length <= longest ? await take(length) : undefined
  if (!body) throw new BackupFileError(length <= longest ? cut : damaged)
  return { head, frame: { kind: head.toString('latin1', 0, 1) as FrameKind, body } }
}

function checkEnd(given: Buffer, computed: Buffer, more: Buffer | undefined): void {
  if (!given.equals(computed) || more) throw new BackupFileError(damaged)
}

const cut = 'The backup is incomplete: the file ends too early. Use another copy of it.'
export const damaged = 'The backup is damaged: its checksum does not match its content. Use another copy of it.'

/** Takes exact numbers of bytes from chunks of any size; undefined once too few are left. */
function createTaker(chunks: AsyncIterable<Buffer>): Take {
  const source = chunks[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let size = 0
  return async (length) => {
    while (size < length) {
      const { value, done } = await source.next()
      if (done) return undefined
      held.push(value)
      size += value.length
    }
    const all = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = [all.subarray(length)]
    size -= length
    return all.subarray(0, length)
  }
}
