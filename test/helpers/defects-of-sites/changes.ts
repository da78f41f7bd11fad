import type { Defect, GoodManifest, Heard, Said } from './defect.ts'

/** The checks that a defect must fail, or cause a warning in: these, and no others. */
export interface Expected {
  fails?: string[]
  warns?: string[]
  /** It concerns connections, other hosts or lengths, which need a network. */
  needsNetwork?: boolean
}

/** Defects by what the site does, as the end of a sentence. */
export type Defects = Record<string, Defect & Expected>
export type Change = NonNullable<Defect['change']>

export const isTool = ({ path }: Heard) => path.startsWith('/api/tools/')
export const isManifest = ({ path }: Heard) => path === '/.well-known/toolsite.json'

/** Changes the response if the condition holds. */
export const where =
  (
    condition: (said: Said, heard: Heard) => boolean,
    change: (said: Said, heard: Heard) => ReturnType<Change>,
  ): Change =>
  (said, heard) =>
    condition(said, heard) ? change(said, heard) : said

/** Valid calls of the reading tool. */
export const goodRead = (said: Said, heard: Heard) => heard.path === '/api/tools/get_note' && said.status === 200
export const withStatus = (status: number) => (said: Said, heard: Heard) => isTool(heard) && said.status === status
export const withHeaders = (headers: Record<string, string>) => (said: Said) => ({ ...said, headers })
export const withBody = (body: unknown) => (said: Said) => ({ ...said, body })
export const mute = withBody({ message: 'No.' })

export const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

export const tools = (manifest: GoodManifest, change: object) => ({
  ...manifest,
  tools: manifest.tools.map((tool) => ({ ...tool, ...change })),
})
export const withAuth = (manifest: GoodManifest, change: object) => ({
  ...manifest,
  auth: { ...manifest.auth, ...change },
})

export const notFound: Said = { status: 404, body: { error: 'There is nothing here.' } }

/** As those who protect sites from programs answer. */
export const forbiddenPage: Said = {
  status: 403,
  headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  body: Buffer.from('<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head></html>'),
}

/** Every call that lacks a good token is carried out all the same. */
export const withoutTokens: Change = where(
  (said, heard) => isTool(heard) && said.status === 401,
  () => ({ status: 200, body: { id: 1, text: 'Buy milk' } }),
)
