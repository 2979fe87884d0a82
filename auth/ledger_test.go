package auth

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ahptui/internal/testkit"
)

// ledger says which tests hold each rule of the client (R), each reported bug of other clients (B), each threat (T) and each
// complaint of people about other clients (C). A test is named by its directory below the module, which is auth where there
// is none. Where it is a table of scenarios or stories, one of them has to name what it holds.
func ledger() map[string]string {
	return map[string]string{
		// What an agent host says.
		"R1": "TestAuthorizationURL TestGrantParams TestScenarios TestStories", "R2": "TestScenarios", "R3": "TestOrderOfClients TestScenarios", "R4": "TestScenarios",
		"R5": "TestDecide TestDecideHolds TestStepUpsEnd TestR5R26ExpiredIsOneRefresh TestR5B18StepUpNeverRefreshes TestStories", "R6": "TestNewChallenge",
		"R7": "TestScenarios TestResourceURLs tui.TestContradiction",
		// Discovery.
		"R8": "TestMetadataURLs TestScenarios", "R9": "TestScenarios", "R10": "TestExceptionsAreShown TestRefusalsNameTheirEntry TestStories", "R11": "TestExceptionsAreShown TestScenarios",
		"R12": "TestScenarios internal/guard.TestPlainHTTPStaysHere FuzzMetadata", "R13": "TestScenarios",
		// Registration.
		"R14": "TestOrderOfClients TestScenarios TestClientMetadata TestClientDocumentAtARealServer TestConfigCheck", "R15": "TestScenarios internal/oauthserver.TestRegistrationRefusals",
		"R16": "TestT2R16AnotherIssuerGetsNothing TestPortIsTaken TestScenarios", "R17": "TestRegistrationThatFailedIsForgotten TestRegisterAgain tui.TestRegisterAgain TestStories",
		// The browser, and what comes back from it.
		"R18": "TestRandom TestAuthorizationURL", "R19": "TestStateIsUsedUp TestNobodyComesBack", "R20": "TestListenerTakesOnlyCallbacks TestForeignCallbacks TestStateIsUsedUp TestStories",
		"R21": "TestScenarios FuzzCallback TestPasteOfAnotherIssuer TestStories", "R22": "TestScenarios",
		// Tokens.
		"R23": "TestScenarios", "R24": "internal/guard.TestRedirects TestScenarios TestStories", "R25": "TestScenarios FuzzTokenResponse FuzzHostMessage TestStories",
		"R26": "TestR5R26ExpiredIsOneRefresh TestR26OldRefreshTokenStays auth/store.TestRefresh TestStories", "R27": "TestR27B50InvalidGrant TestR27B46FailuresDeleteNothing TestStories",
		"R28": "TestT1T4AnotherHostGetsNothing TestCanaries auth/store.TestNoSecretInFiles",
		"R29": "TestDevicePolls TestDeviceBacksOff TestDeviceEnds TestDeviceCodes tui.TestByDevice FuzzDeviceAnswer", "R30": "TestPaste TestPastedQuery FuzzPasted tui.TestSwitchAndPaste TestStories",
		"R31": "TestListenerAddress TestListenerOnLocalhost TestConfiguredPort TestListenerEnds",

		"B1": "TestScenarios", "B2": "TestScenarios", "B3": "TestScenarios", "B4": "TestScenarios", "B5": "TestScenarios", "B6": "TestScenarios",
		"B7": "TestRefusalsNameTheirEntry TestScenarios", "B8": "TestRefusalsNameTheirEntry TestScenarios", "B9": "TestScenarios", "B10": "TestScenarios", "B11": "TestScenarios", "B12": "TestExceptionsAreShown TestScenarios",
		"B13": "TestScenarios TestR5R26ExpiredIsOneRefresh TestDevicePolls", "B15": "TestB15RefreshAfterARestart", "B16": "TestScenarios",
		"B18": "TestStepUp TestR5B18StepUpNeverRefreshes", "B19": "TestScenarios", "B20": "TestScenarios", "B21": "TestScenarios", "B22": "TestB22RefreshNarrows TestStories",
		"B24": "TestForeignCallbacks TestListenerTakesOnlyCallbacks", "B25": "TestRandom", "B26": "TestStateIsUsedUp", "B27": "TestListenerPages TestForeignCallbacks",
		"B28": "TestScenarios TestClientDocumentAtARealServer", "B30": "TestRedirectCheck TestListenerOnLocalhost TestConfigCheck TestScenarios", "B31": "TestListenerAddress", "B33": "TestConfiguredPort TestPortIsTaken",
		"B34": "TestCancelInEveryPhase TestListenerCloses tui.TestSignInEsc", "B35": "TestDefaultMethod TestPaste tui.TestTunnel", "B36": "TestScenarios internal/oauthserver.TestRegistrationRefusals",
		"B37": "TestScenarios TestRegisterAgain", "B38": "TestPortIsTaken", "B39": "TestScenarios", "B40": "TestPersonNamesAClient tui.TestAskedForClient TestScenarios TestStories",
		"B41": "TestScenarios", "B42": "TestScenarios TestUselessSecret", "B45": "auth/store.TestKilledAtEveryStep", "B46": "TestR27B46FailuresDeleteNothing",
		"B47": "TestB47B61HeldTokenIsPushedSilently TestB47LongTokenSurvivesARestart", "B48": "TestScenarios", "B50": "TestR27B50InvalidGrant TestStories",
		"B51": "TestEqualChallengesShareOneFlow TestSilentAtOnce tui.TestManyAsk", "B52": "TestDevicePolls", "B53": "TestDefaultMethod", "B54": "auth/store.TestKeyringThatHangs",
		"B56": "views/authflow.TestHostile internal/safetext.TestCleanShowsEscapeSequences", "B58": "auth/store.TestNobodyElseCanRead auth/store.TestFilesThatAreLeftAlone TestFileSupply",
		"B59": "TestBrowserOpensOnlyURLs", "B60": "TestDecide tui.TestHandOverHeld", "B61": "TestB47B61HeldTokenIsPushedSilently tui.TestHandOverHeld", "B63": "tui.TestUnseenChat tui.TestStartNeedsSignIn",

		"T1": "TestT1T4AnotherHostGetsNothing TestConsentSaysAll TestStories", "T2": "TestT2R16AnotherIssuerGetsNothing TestConsentIsRemembered TestStories", "T3": "TestNever TestDeclineBeforeContact TestDeclineCoolsDown TestT3Flood TestFlowsAreBounded TestMergeIsBounded tui.TestNever",
		"T4": "TestT1T4AnotherHostGetsNothing TestParseHost", "T5": "TestChallengeHidesTheSecret TestScenarios TestCanariesOfThePerson",
		"T6": "internal/guard.TestClassify internal/guard.TestCheckURL internal/guard.TestAddressIsCheckedWhenDialled", "T7": "internal/guard.TestRebinding",
		"T8": "internal/guard.TestRedirects", "T9": "TestSwappedCallbacks TestScenarios", "T10": "TestT10ServerLeadsElsewhere TestConsentSaysAll TestStories TestScenarios", "T11": "TestAuthorizationURL",
		"T12": "TestExceptionsAreShown TestScenarios", "T13": "tui.TestSignInScreens views/authflow.TestHostStandsOut", "T14": "TestListenerAddress TestListenerOnLocalhost internal/oauthserver.TestTokenRefusals",
		"T15": "TestListenerTakesOnlyCallbacks TestListenerEnds", "T16": "TestListenerIsNotCrowdedOut internal/guard.TestTimesAreBounded",
		"T17": "internal/guard.TestBodyIsBounded TestParseDocument TestNewChallenge TestTooManySupportedScopes FuzzChallenge", "T18": "internal/jsonrpc.TestWebSocketNeverCompresses internal/jsonrpc.TestWebSocketMessageTooLarge internal/jsonrpc.TestWebSocketCutsWhatDrips",
		"T19": "internal/guard.TestBodyIsBounded", "T20": "internal/safetext.TestClean internal/safetext.FuzzClean views/authflow.TestHostile", "T21": "internal/safetext.TestURL internal/safetext.TestClean TestSite",
		"T22": "views/markdown.TestLinkShowsWhereItLeads tui.TestHostile", "T23": "tui.TestSignInWithoutBrowser tui.TestHostile",
		"T24": "internal/secret.TestT24FieldsOfSecretsAreValues internal/secret.TestValueIsNeverPrinted internal/secret.TestValueIsNeverLogged internal/secret.TestValueIsNeverMarshalled internal/secret.TestRedactorShapes auth/store.TestNoSecretIsPrinted TestCanaries TestCanariesOfThePerson",
		"T25": "cli.TestUsageErrors cli.TestSignInLife TestCommandSupply", "T26": "internal/secret.TestT26NoCoreDumps", "T27": "auth/store.TestKeyringThatHangs auth/store.TestKeyringsThatDoNotWork auth/store.TestLargeTokens",
		"T28": "auth/store.TestFilesThatAreLeftAlone auth/store.TestDamagedFiles auth/store.TestForeignOwner auth/store.TestNobodyElseCanRead", "T29": "TestT29SignOut auth/store.TestOneRefreshAmongProcesses TestStories",
		"T30": "TestOtherAudiences FuzzAudience", "T31": "TestDeviceCodes views/authflow.TestStages TestScenarios", "T32": "TestConfigCheck", "T33": "TestBrowserOpensOnlyURLs TestBrowserIsSilent TestBrowserStaysAway",
		"T34": "TestT34Skew auth/store.TestScheduleWhenTheClockIsSet auth/store.TestLife", "T35": "cli.TestInsecureHost cli.TestTypedInsecureHost", "T36": "internal/arrows.TestImportsRunDownwards",

		"C: needs a sign-in, shown as starting":              "tui.TestStartNeedsSignIn tui.TestSignInServer",
		"C: the browser says success, and no token comes":    "TestGrant TestScenarios TestNobodyComesBack",
		"C: both tokens have ended":                          "TestDoublyExpired",
		"C: it asks for more for ever":                       "TestStepUpsEnd TestStepUpsThatFailedDoNotCount",
		"C: cancel brings the prompt again":                  "tui.TestManyAsk TestOneEscapeForTenCalls",
		"C: Esc does not leave the wait":                     "tui.TestSignInEsc TestCancelInEveryPhase",
		"C: over SSH the callback does not come back":        "tui.TestSwitchAndPaste TestPasteNeedsNoPort TestPasteRacesTheBrowser TestTunnel",
		"C: a second instance holds the port":                "TestConfiguredPort TestPortIsTaken",
		"C: issuers that differ by a slash":                  "TestRefusalsNameTheirEntry TestScenarios",
		"C: a step-up overwrites the scopes":                 "TestStepUp TestR5B18StepUpNeverRefreshes",
		"C: a refresh token in the way of a step-up":         "TestR5B18StepUpNeverRefreshes",
		"C: several processes refresh a rotating token":      "auth/store.TestOneRefreshAmongProcesses",
		"C: signing in again deletes what works":             "auth/store.TestKilledAtEveryStep TestR27B46FailuresDeleteNothing TestStories",
		"C: signing out leaves tokens behind":                "auth/store.TestSignOutEverywhere TestT29SignOut",
		"C: a token dies while an approval is waited for":    "tui.TestTokenCountdown",
		"C: a refresh without its resource":                  "TestR5R26ExpiredIsOneRefresh",
		"C: a token that the host refuses is tried for ever": "TestRefusedTwiceIsQuarantined tui.TestHandOverQuarantine",
	}
}

// reported are the numbers of the bugs that the ledger has to hold; the others are of no concern here.
const reported = "1 2 3 4 5 6 7 8 9 10 11 12 13 15 16 18 19 20 21 22 24 25 26 27 28 30 31 33 34 35 36 37 38 39 40 41 42 45 46 47 48 50 51 52 53 54 56 58 59 60 61 63"

// TestLedger: every rule, bug and threat has tests, and they are there.
func TestLedger(t *testing.T) {
	t.Parallel()
	tests := testkit.Tests(t, "..")
	held := ledger()
	var ids []string
	for n := 1; n <= 31; n++ {
		ids = append(ids, fmt.Sprint("R", n))
	}
	for n := range strings.FieldsSeq(reported) {
		ids = append(ids, "B"+n)
	}
	for n := 1; n <= 36; n++ {
		ids = append(ids, fmt.Sprint("T", n))
	}
	for _, id := range ids {
		if held[id] == "" {
			t.Errorf("no test is named for %s", id)
		}
	}
	named := map[string]string{}
	for _, s := range scenarios() {
		named["TestScenarios"] += s.name + "\n"
	}
	for _, s := range stories() {
		named["TestStories"] += s.name + "\n"
	}
	for id, names := range held {
		for name := range strings.FieldsSeq(names) {
			if table, ok := named[name]; ok && !strings.HasPrefix(id, "C: ") && !regexp.MustCompile(`\b`+id+`\b`).MatchString(table) {
				t.Errorf("%s: nothing in %s names it", id, name)
			}
			if !strings.Contains(name, ".") {
				name = "auth." + name
			}
			if !tests[name] {
				t.Errorf("%s: there is no test %s", id, name)
			}
		}
	}
}
