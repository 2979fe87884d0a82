// An authorization server of oidc-provider for one protected resource. It says yes to everybody who asks nicely, and prints
// where it is as a line of JSON. Its arguments are the resource and the life of an access token, in seconds; the packages are in the directory that NODE_PATH names.
import http from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , resource, life] = process.argv;
const require = createRequire(process.env.NODE_PATH + "/");
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")).href);

const server = http.createServer();
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  scopes: ["openid", "offline_access"],
  clients: [
    {
      client_id: "resource",
      client_secret: "the resource's own secret",
      redirect_uris: [],
      response_types: [],
      grant_types: [],
    },
  ],
  clientDefaults: { id_token_signed_response_alg: "RS256" },
  pkce: { required: () => true },
  findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  issueRefreshToken: async (_, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  ttl: { AccessToken: Number(life), RefreshToken: 600, Grant: 600, Interaction: 600, Session: 600, DeviceCode: 600 },
  features: {
    devInteractions: { enabled: false },
    deviceFlow: { enabled: true },
    registration: { enabled: true },
    revocation: { enabled: true, allowedPolicy: () => true },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, indicator) => {
        if (indicator !== resource) throw new Error(`unknown resource ${indicator}`);
        return { scope: "files:read files:write", accessTokenFormat: "opaque", accessTokenTTL: Number(life) };
      },
    },
  },
  interactions: { url: (_, interaction) => `/yes/${interaction.uid}` },
});

// yes signs somebody in and grants what is asked for.
async function yes(request, response) {
  const { prompt, params, grantId, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "somebody" } });
  }
  const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope("openid offline_access");
  grant.addResourceScope(resource, "files:read files:write");
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

const callback = provider.callback();
server.on("request", (request, response) => {
  if (request.url.startsWith("/yes/")) {
    yes(request, response).catch((error) => response.writeHead(500).end(String(error)));
  } else {
    callback(request, response);
  }
});
console.log(JSON.stringify({ issuer }));
process.stdin.on("end", () => process.exit(0)).resume(); // who started it is gone
