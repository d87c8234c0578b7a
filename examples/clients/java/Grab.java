import com.fasterxml.jackson.databind.ObjectMapper;
import hongbao.ApiClient;
import hongbao.ApiException;
import hongbao.api.GrabsApi;
import hongbao.model.GrabDto;
import hongbao.model.ProblemDto;
import hongbao.model.WonPacketDto;
import java.net.URI;

/** Grabs with a generated client: java Grab ACTIVITY OTHER_ACTIVITY */
public class Grab {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  public static void main(String[] activityIds) throws Exception {
    URI api = URI.create(System.getenv("HONGBAO_URL"));
    String token = "Bearer " + System.getenv("HONGBAO_TOKEN");
    ApiClient client = new ApiClient().setScheme(api.getScheme()).setHost(api.getHost()).setPort(api.getPort());
    client.setBasePath("").setRequestInterceptor(request -> request.header("Authorization", token));
    GrabsApi grabs = new GrabsApi(client);
    for (String activityId : activityIds) grab(grabs, activityId);
    for (WonPacketDto packet : grabs.listMyPackets(null, null, null, null, null).getItems())
      System.out.println("mine " + packet.getRedPacketId() + " " + packet.getAmount());
  }

  private static void grab(GrabsApi grabs, String activityId) throws Exception {
    try {
      GrabDto answer = grabs.grabPacket(activityId, null, null, null, null);
      switch (answer.getCode()) {
        case Won, Repeated -> System.out.println("won " + answer.getRedPacketId() + " " + answer.getAmount());
        case Reserved -> System.out.println("reserved " + answer.getRedPacketId());
        case Refused -> System.out.println("refused " + answer.getReason());
      }
    } catch (ApiException fault) {
      ProblemDto problem = MAPPER.readValue(fault.getResponseBody(), ProblemDto.class);
      System.out.println("problem " + problem.getCode());
    }
  }
}
