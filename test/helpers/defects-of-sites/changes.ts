import type { Defect, GoodManifest, SiteRequest, SiteResponse } from './defect.ts'

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
type Condition = (response: SiteResponse, request: SiteRequest) => boolean

export const isTool = ({ path }: SiteRequest) => path.startsWith('/api/tools/')

export const where =
  (condition: Condition, change: (response: SiteResponse, request: SiteRequest) => ReturnType<Change>): Change =>
  (response, request) =>
    condition(response, request) ? change(response, request) : response

/** Changes tool responses with this status, or those that `more` selects. */
export const onStatus = (
  status: number,
  change: (response: SiteResponse, request: SiteRequest) => SiteResponse,
  more: (request: SiteRequest) => boolean = () => true,
) => where((response, request) => isTool(request) && response.status === status && more(request), change)

/** Changes the responses to valid calls of the read tool. */
export const onGoodRead = (change: (response: SiteResponse) => SiteResponse) =>
  where(({ status }, { path }) => path === '/api/tools/get_note' && status === 200, change)

export const withHeaders = (headers: Record<string, string>) => (response: SiteResponse) => ({ ...response, headers })
export const withBody = (body: unknown) => (response: SiteResponse) => ({ ...response, body })
export const mute = withBody({ message: 'No.' })

export const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

export const withTools = (manifest: GoodManifest, change: (tool: GoodManifest['tools'][number]) => object) => ({
  ...manifest,
  tools: manifest.tools.map((tool) => ({ ...tool, ...change(tool) })),
})

export const notFound: SiteResponse = { status: 404, body: { error: 'There is nothing here.' } }

/** The response of a service that protects sites from bots. */
export const forbiddenPage: SiteResponse = {
  status: 403,
  headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  body: Buffer.from('<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head></html>'),
}
