import { APICallError } from '@ai-sdk/provider'

/** A provider's refusal of a request, as its adapter throws it. */
export const refusalOf = (statusCode: number, body: unknown) =>
  new APICallError({
    message: 'refused',
    url: 'https://provider.example',
    requestBodyValues: {},
    statusCode,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
  })
