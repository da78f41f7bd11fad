import type { Defect, GoodManifest, Heard, Said } from './defect.ts'

/** The checks that a defect must fail, or cause a warning in: these, and no others. */
export interface Expected {
  fails?: string[]
  warns?: string[]
  /** What the report says of it. */
  says?: RegExp
}

/** Defects by what the site does, as the end of a sentence. */
export type Defects = Record<string, Defect & Expected>
export type Change = NonNullable<Defect['change']>
type Condition = (said: Said, heard: Heard) => boolean

export const isTool = ({ path }: Heard) => path.startsWith('/api/tools/')

/** Changes the response if the condition holds. */
export const where =
  (condition: Condition, change: (said: Said, heard: Heard) => ReturnType<Change>): Change =>
  (said, heard) =>
    condition(said, heard) ? change(said, heard) : said

/** Changes the answers of tools with this status; with `more`, some of them. */
export const onStatus = (
  status: number,
  change: (said: Said, heard: Heard) => Said,
  more: (heard: Heard) => boolean = () => true,
) => where((said, heard) => isTool(heard) && said.status === status && more(heard), change)

/** Changes the answers to valid calls of the reading tool. */
export const onGoodRead = (change: (said: Said) => Said) =>
  where(({ status }, { path }) => path === '/api/tools/get_note' && status === 200, change)

export const withHeaders = (headers: Record<string, string>) => (said: Said) => ({ ...said, headers })
export const withBody = (body: unknown) => (said: Said) => ({ ...said, body })
export const mute = withBody({ message: 'No.' })

export const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

export const withTools = (manifest: GoodManifest, change: (tool: GoodManifest['tools'][number]) => object) => ({
  ...manifest,
  tools: manifest.tools.map((tool) => ({ ...tool, ...change(tool) })),
})

export const notFound: Said = { status: 404, body: { error: 'There is nothing here.' } }

/** As those who protect sites from programs answer. */
export const forbiddenPage: Said = {
  status: 403,
  headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  body: Buffer.from('<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head></html>'),
}
