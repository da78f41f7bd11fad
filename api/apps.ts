import * as v from 'valibot'
import type { BrowserAnswer } from './browser/browser-answer.ts'
import { route } from './route/route.ts'
import { app, appRequest, grantedScopes, location, presentApp } from './schemas/app-schema.ts'
import { named } from './schemas/documented.ts'
import { inWorkspace, pageOf, paging } from './schemas/schemas.ts'

const shared = { tag: 'auth', access: 'login', limit: 'caller' } as const

export const listApps = route({
  ...shared,
  name: 'listApps',
  method: 'get',
  path: '/auth/apps',
  summary: 'List connected apps',
  description: 'Lists the MCP clients that you let act for you or for one of your workspaces, newest first.',
  terms: false,
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(app),
  async handle({ services, caller, query }) {
    const page = await services.apps.list(caller, query)
    return { ...page, items: page.items.map(presentApp) }
  },
})

export const disconnectApp = route({
  ...shared,
  name: 'disconnectApp',
  audit: { subject: 'app' },
  method: 'delete',
  path: '/auth/apps/{appId}',
  summary: 'Disconnect an app',
  description: 'Ends the access of an MCP client. All its tokens stop working.',
  terms: false,
  needs: 'see',
  whenClosed: true,
  status: 204,
  resource: ({ services, caller, params }) => services.apps.get(caller, params.appId),
  codes: ['NOT_FOUND'],
  async handle({ services, resource }) {
    await services.apps.disconnect(resource)
    await services.accessChanges.note()
  },
})

/** Below the path of the cookie that binds the request to the browser. */
const requestTemplate = '/mcp/requests/{requestId}'

export const openAppRequest = route({
  name: 'openAppRequest',
  tag: 'auth',
  access: 'anyone',
  limit: 'browser',
  browser: true,
  method: 'get',
  path: requestTemplate,
  summary: "Open an app's request",
  description: 'For browsers. Redirects to the page of the console where you decide about the request.',
  status: 303,
  codes: ['NOT_FOUND'],
  async handle({ services, params, request }): Promise<BrowserAnswer> {
    const { id } = await services.apps.requests.find({ ...params, cookieOf: request.cookie })
    return { location: `/console/allow-app/${id}` }
  },
})

export const getAppRequest = route({
  ...shared,
  name: 'getAppRequest',
  method: 'get',
  path: `${requestTemplate}/details`,
  summary: "Get an app's request",
  description: 'Works only in the browser that made the request.',
  status: 200,
  response: appRequest,
  codes: ['NOT_FOUND'],
  handle: ({ services, params, request }) => services.apps.requests.find({ ...params, cookieOf: request.cookie }),
})

export const allowApp = route({
  ...shared,
  name: 'allowApp',
  audit: { subject: 'app' },
  method: 'post',
  path: `${requestTemplate}/allow`,
  summary: 'Connect an app',
  description:
    'Lets an MCP client act for you, or for one of your workspaces in your role there. Works only in the browser that made the request. See [Connect an MCP client](/docs/how-to/mcp-clients).',
  owner: 'body',
  needs: 'see',
  body: v.strictObject({ ...inWorkspace, scopes: grantedScopes }),
  status: 201,
  response: named('AllowedApp', v.object({ ...app.entries, location }), 'Connected app'),
  codes: ['NOT_FOUND', 'FEATURE_LIMIT_REACHED'],
  async handle({ services, caller, ownerId, params, body: { scopes }, request }) {
    const asked = { ...params, cookieOf: request.cookie, ownerId, scopes }
    const made = await services.apps.requests.allow(caller, asked)
    return { ...presentApp(made.app), location: made.location }
  },
})

export const refuseApp = route({
  ...shared,
  name: 'refuseApp',
  audit: { subject: 'app' },
  method: 'post',
  path: `${requestTemplate}/refuse`,
  summary: 'Refuse an app',
  description: 'Works only in the browser that made the request.',
  status: 200,
  response: named('RefusedApp', v.object({ ...appRequest.entries, location }), "App's refused request"),
  codes: ['NOT_FOUND'],
  async handle({ services, params, request }) {
    const refused = await services.apps.requests.refuse({ ...params, cookieOf: request.cookie })
    return { ...refused.request, location: refused.location }
  },
})
