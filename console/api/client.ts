import createFetchClient from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import { sendAsUser } from '../session/send-as-user.ts'
import type { components, paths } from './schema.d.ts'

/** The types of the API, by the names of its document. */
export type Api = components['schemas']

/** Requests to the API, typed by its document. Cookies and their token are added, and an ended login is renewed. */
export const client = createFetchClient<paths>({ baseUrl: location.origin, fetch: sendAsUser })

/** The same as queries and mutations of TanStack Query. */
export const api = createQueryClient(client)
