import { createHash } from 'node:crypto'

/* Names of tools. Each ends with the end of the id of its agent or its site, so it never means another one. */

/** Clients and providers accept `^[a-zA-Z0-9_-]{1,64}$`. Google refuses a leading digit or dash, so one may be added. */
const maxLength = 63
const tailLength = 8

/** The last digits of an id, which are random. */
export const tailOf = (id: string): string => id.slice(-tailLength)

/** The end of the id of the agent or the site whose tool is named; undefined if there is none. */
export const tailIn = (name: string): string | undefined => /[_-]([0-9a-f]{8})$/.exec(name)?.[1]

/** The words of a name, in characters that every client accepts. Empty for a name without a Latin letter or a digit. */
const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(0, 24)

interface Named {
  id: string
  name: string
}

export const agentToolName = ({ id, name }: Named): string => joined('run', slug(name), tailOf(id))

/**
 * The name for a tool of a site. A tool whose own name does not fit, or has other characters, gets a hash of it too, and
 * a dash before the end, which no other name has there. So no tool can take the name of another.
 */
export function siteToolName({ id, name }: Named, tool: string): string {
  const site = slug(name)
  const room = maxLength - site.length - tailLength - 2
  if (tool.length <= room && /^[\w-]+$/.test(tool)) return led(joined(site, tool, tailOf(id)))
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, tailLength)
  const shown = tool.replaceAll(/[^\w-]/g, '_').slice(0, room - tailLength - 1)
  return led(`${joined(site, shown, hash)}-${tailOf(id)}`)
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join('_')

const led = (name: string): string => name.replace(/^(?=[\d-])/, '_')
