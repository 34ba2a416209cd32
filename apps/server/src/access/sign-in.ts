import type { SignedInUser } from "./authenticate.ts";

export interface SignInOptions {
  prisma: object;
  provider: "sqlite" | "postgresql";
  secret: string;
  /** Where browsers reach the installation. */
  publicUrl: string;
  trustedOrigins: readonly string[];
  newId: () => string;
}

const dayS = 86_400;

async function createAuth(options: SignInOptions) {
  const [{ betterAuth }, { prismaAdapter }] = await Promise.all([
    import("better-auth"),
    import("better-auth/adapters/prisma"),
  ]);
  return betterAuth({
    appName: "Wheelhouse",
    baseURL: options.publicUrl,
    basePath: "/api/auth",
    secret: options.secret,
    database: prismaAdapter(options.prisma, { provider: options.provider, transaction: false }),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 10, maxPasswordLength: 200 },
    user: {
      modelName: "user",
      additionalFields: {
        isAdmin: { type: "boolean", required: false, defaultValue: false, input: false },
        disabledAt: { type: "date", required: false, input: false },
      },
    },
    session: {
      modelName: "authSession",
      expiresIn: 30 * dayS,
      updateAge: dayS,
      // A cached session would outlive its revocation.
      cookieCache: { enabled: false },
    },
    account: { modelName: "account" },
    verification: { modelName: "verification" },
    rateLimit: {
      enabled: true,
      storage: "memory",
      window: 60,
      max: 300,
      customRules: { "/sign-in/email": { window: 60, max: 10 } },
    },
    // The request's own host is the same origin, whatever name the operator gave the machine.
    trustedOrigins: (request) => {
      const host = request?.headers.get("host");
      return [...options.trustedOrigins, ...(host ? [`http://${host}`, `https://${host}`] : [])];
    },
    advanced: {
      cookiePrefix: "wheelhouse",
      useSecureCookies: options.publicUrl.startsWith("https:"),
      database: { generateId: () => options.newId() },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
  });
}

/**
 * Sign-in with e-mail and password, on our own tables. Nobody signs up by themselves. The library is loaded with the
 * first person who wants in: it costs more to load than the rest of the start.
 */
export function openSignIn(options: SignInOptions) {
  let created: ReturnType<typeof createAuth> | undefined;
  const auth = () => {
    created ??= createAuth(options);
    return created;
  };

  return {
    handler: async (request: Request): Promise<Response> => (await auth()).handler(request),

    /** Who a cookie belongs to. A disabled user is nobody. */
    async userOf(headers: Headers): Promise<SignedInUser | null> {
      if (!headers.has("cookie")) return null;
      const found = await (await auth()).api.getSession({ headers, query: { disableRefresh: true } });
      if (found === null || found.user.disabledAt != null) return null;
      const { id, name, email, isAdmin } = found.user;
      return { id, name, email, isAdmin: isAdmin === true };
    },

    /** Makes a user who signs in with a password. The password's rules are the sign-in's own. */
    async createUser(input: {
      name: string;
      email: string;
      password: string;
      isAdmin: boolean;
    }): Promise<{ id: string }> {
      const context = await (await auth()).$context;
      const user = await context.internalAdapter.createUser(
        {
          name: input.name,
          email: input.email.toLowerCase(),
          emailVerified: true,
          isAdmin: input.isAdmin,
        },
        { method: "email-password" },
      );
      await context.internalAdapter.linkAccount({
        userId: user.id,
        providerId: "credential",
        accountId: user.id,
        password: await context.password.hash(input.password),
      });
      return { id: user.id };
    },

    /** Signs in; the answer carries the cookie. */
    signIn: async (input: { email: string; password: string }, headers: Headers): Promise<Response> =>
      (await auth()).api.signInEmail({ body: input, headers, asResponse: true }),
  };
}

export type SignIn = ReturnType<typeof openSignIn>;
