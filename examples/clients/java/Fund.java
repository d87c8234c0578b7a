import hongbao.ApiClient;
import hongbao.api.ActivitiesApi;
import hongbao.api.ApprovalsApi;
import hongbao.api.DeadLettersApi;
import hongbao.api.WalletsApi;
import hongbao.model.*;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.UUID;

/** Funds a rain with a generated client, and a second person approves each step: java Fund LETTER */
public class Fund {
  private static final ApprovalsApi APPROVALS = new ApprovalsApi(as("HONGBAO_SECOND_TOKEN"));

  public static void main(String[] args) throws Exception {
    ApiClient first = as("HONGBAO_TOKEN");
    ActivitiesApi activities = new ActivitiesApi(first);
    String owner = "java-sponsor";
    OffsetDateTime now = OffsetDateTime.now();

    DepositOrApprovalDto deposit = new WalletsApi(first).depositMoney(owner, newKey(), new DepositBody().amount("50.00"));
    approved("deposit", deposit.getAskedBy(), deposit.getId(), deposit.getAmount());

    CreateActivityBody plan = new CreateActivityBody().name("Rain in Java").sponsorId(owner).totalAmount("20.00")
        .packetCount(2).split(new SplitBody().kind(SplitBody.KindEnum.Random)).opensAt(now).closesAt(now.plusHours(1));
    ActivityOrApprovalDto created = activities.createActivity(newKey(), plan, null);
    String activityId = approved("create", created.getAskedBy(), created.getId(), created.getAmount()).getResultId();

    TopUpBody more = new TopUpBody().amount("15.00").packetCount(3);
    TopUpOrApprovalDto topUp = activities.topUpActivity(activityId, newKey(), more, null, null, null);
    approved("top-up", topUp.getAskedBy(), topUp.getId(), topUp.getAmount());

    VoidBody reason = new VoidBody().reason("The account belongs to a robot.");
    VoidedClaimOrApprovalDto letter = new DeadLettersApi(first).voidDeadLetter(args[0], newKey(), reason);
    approved("void", letter.getAskedBy(), letter.getId(), letter.getAmount());
  }

  /** Whoever asked is named by requests that wait, and by nothing else. */
  private static ApprovalDto approved(String step, String askedBy, String id, String amount) throws Exception {
    if (askedBy == null) throw new IllegalStateException(step + " did not wait for a second person");
    ApprovalDto decided = APPROVALS.approveRequest(id, newKey());
    System.out.println(step + " " + amount + " " + decided.getStatus());
    return decided;
  }

  private static ApiClient as(String token) {
    URI api = URI.create(System.getenv("HONGBAO_URL"));
    String bearer = "Bearer " + System.getenv(token);
    ApiClient client = new ApiClient().setScheme(api.getScheme()).setHost(api.getHost()).setPort(api.getPort());
    return client.setBasePath("").setRequestInterceptor(request -> request.header("Authorization", bearer));
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }
}
