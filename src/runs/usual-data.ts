/**
 * What most events of a kind say. It is left out where events are stored, and filled in where they are read: of a
 * billion rows, each byte is a gigabyte. Never changed, or events that were stored before would change, too.
 */
const usual: Record<string, Record<string, unknown>> = {
  accepted: { ahead: 0 },
  started: { epoch: 1, override: 'absent' },
  'step.started': { attempt: 1 },
  'step.finished': { attempt: 1 },
  'tool.started': { attempt: 1 },
  'tool.finished': { attempts: 1, status: 'succeeded' },
  ended: { status: 'completed', reason: null, message: null },
}

type Data = Record<string, unknown>

/** The data of an event as it is stored. */
export const withoutUsual = (kind: string, data: Data): Data =>
  Object.fromEntries(Object.entries(data).filter(([name, value]) => usual[kind]?.[name] !== value))

/** The data of a stored event; what was left out comes last, as it did in the event. */
export const withUsual = (kind: string, stored: Data): Data => ({ ...stored, ...usual[kind], ...stored })
