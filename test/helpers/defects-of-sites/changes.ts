import type { Defect, GoodManifest, Heard, Said } from './defect.ts'

/** The checks of the checker that a defect must fail, or be warned of: these, and no others. */
export interface Expected {
  fails?: string[]
  warns?: string[]
  /** It is about connections, other hosts or lengths, which only a network has. */
  needsNetwork?: boolean
}

/** Defects by what a site does, as the end of a sentence. */
export type Defects = Record<string, Defect & Expected>
export type Change = NonNullable<Defect['change']>

export const isTool = ({ path }: Heard) => path.startsWith('/api/tools/')
export const isManifest = ({ path }: Heard) => path === '/.well-known/toolsite.json'

/** Changes what is said where the condition holds. */
export const where =
  (
    condition: (said: Said, heard: Heard) => boolean,
    change: (said: Said, heard: Heard) => ReturnType<Change>,
  ): Change =>
  (said, heard) =>
    condition(said, heard) ? change(said, heard) : said

/** Good calls of the tool that reads. */
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
