import { goodManifest, redirectUri, type Defect, type SiteRequest, type Rule, type SiteResponse } from './defect.ts'
import { createOAuthRules } from './oauth-rules.ts'
import { createToolRules } from './tool-rules.ts'

/** The responses of a small site that is correct except for one defect, over any transport. */
export interface DefectiveSite {
  origin: string
  answer: (request: SiteRequest) => SiteResponse
}

/**
 * Its tokens are `good-token` and `limited-token`, or those of its OAuth server, which grants consent without asking.
 */
export function createDefectiveSite(origin: string, defect: Defect, { oauth = false } = {}): DefectiveSite {
  const keeps = (rule: Rule): boolean => defect.without !== rule
  const manifest = goodManifest(origin, oauth)
  const authorization = createOAuthRules(origin, redirectUri, keeps)
  const answerTool = createToolRules(manifest.tools, keeps, oauth ? authorization.scopesOf : undefined)

  function answer(request: SiteRequest): SiteResponse {
    if (request.path === '/.well-known/toolsite.json') {
      return { status: 200, body: defect.manifest ? defect.manifest(manifest) : manifest }
    }
    if (request.path.startsWith('/api/tools/')) return answerTool(request)
    return (oauth && authorization.answer(request)) || { status: 404, body: { error: 'There is nothing here.' } }
  }

  return {
    origin,
    answer: (request) => {
      const response = answer(request)
      return defect.change ? defect.change(response, request) : response
    },
  }
}

/** A request, parsed for the rules of a site. */
export function toSiteRequest(
  method: string,
  url: string,
  header: (name: string) => string,
  body: string,
): SiteRequest {
  const { pathname: path, searchParams: query } = new URL(url, 'https://site')
  const token = /^Bearer (\S+)$/.exec(header('authorization'))?.[1]
  return { method, path, query, token, key: header('idempotency-key'), body }
}

export const headersOf = ({ headers }: SiteResponse) => ({ 'Content-Type': 'application/json', ...headers })
export const bytesOf = ({ body }: SiteResponse): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
