/**
 * The default data of each kind of event. Storage omits it and reading restores it: in a billion rows, each byte is a
 * gigabyte. Never change it, because that would change stored events.
 */
const defaults: Record<string, Record<string, unknown>> = {
  accepted: { ahead: 0 },
  started: { epoch: 1, override: 'absent' },
  'step.started': { attempt: 1 },
  'step.finished': { attempt: 1 },
  'tool.started': { attempt: 1 },
  'tool.finished': { attempts: 1, status: 'succeeded' },
  ended: { status: 'completed', reason: null, message: null },
}

type Data = Record<string, unknown>

/** Data as stored. */
export const withoutDefaults = (kind: string, data: Data): Data =>
  Object.fromEntries(Object.entries(data).filter(([name, value]) => defaults[kind]?.[name] !== value))

/** Data of a stored event. Restored members come last, as in the original event. */
export const withDefaults = (kind: string, stored: Data): Data => ({ ...stored, ...defaults[kind], ...stored })
