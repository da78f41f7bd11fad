import type { Defect, GoodManifest, Heard, Said } from './defect.ts'

/** The checks that must fail or warn because of a defect, and no others. */
export interface Expected {
  fails?: string[]
  warns?: string[]
  /** A pattern for the report's sentence. */
  says?: RegExp
}

/** Defects by the site's behaviour, as the end of a sentence. */
export type Defects = Record<string, Defect & Expected>
export type Change = NonNullable<Defect['change']>
type Condition = (said: Said, heard: Heard) => boolean

export const isTool = ({ path }: Heard) => path.startsWith('/api/tools/')

/** Changes the response if the condition holds. */
export const where =
  (condition: Condition, change: (said: Said, heard: Heard) => ReturnType<Change>): Change =>
  (said, heard) =>
    condition(said, heard) ? change(said, heard) : said

/** Changes tool responses with this status, or those that `more` selects. */
export const onStatus = (
  status: number,
  change: (said: Said, heard: Heard) => Said,
  more: (heard: Heard) => boolean = () => true,
) => where((said, heard) => isTool(heard) && said.status === status && more(heard), change)

/** Changes the responses to valid calls of the read tool. */
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

/** The response of a service that protects sites from bots. */
export const forbiddenPage: Said = {
  status: 403,
  headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  body: Buffer.from('<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head></html>'),
}
